package dev.lockstep.tpcc.ordered;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The nine tables as maps: hashed where rows are only looked up, ordered where ranges are read. Tests may change rows
 * behind the workload's back.
 */
final class OrderedDatabase {
    /** Key of CUSTOMER, and with an O_ID in place of the C_ID of ORDERS and NEW_ORDER. */
    record Key3(int warehouseId, int districtId, int id) implements Comparable<Key3> {
        /** A record's own hash adds up small multiples, so that keys of neighbouring districts collide. */
        @Override
        public int hashCode() {
            return (warehouseId * 131 + districtId) * 65_537 + id;
        }

        @Override
        public int compareTo(Key3 other) {
            int order = Integer.compare(warehouseId, other.warehouseId);
            if (order != 0) {
                return order;
            }
            order = Integer.compare(districtId, other.districtId);
            if (order != 0) {
                return order;
            }
            return Integer.compare(id, other.id);
        }
    }

    /** Key of ORDER_LINE, and with C_ID and O_ID of the index of ORDERS by customer. */
    record Key4(int warehouseId, int districtId, int id, int number) implements Comparable<Key4> {
        @Override
        public int compareTo(Key4 other) {
            int order = Integer.compare(warehouseId, other.warehouseId);
            if (order != 0) {
                return order;
            }
            order = Integer.compare(districtId, other.districtId);
            if (order != 0) {
                return order;
            }
            order = Integer.compare(id, other.id);
            if (order != 0) {
                return order;
            }
            return Integer.compare(number, other.number);
        }
    }

    /** Key of DISTRICT and of STOCK. */
    record Key2(int warehouseId, int id) {
        /** A record's own hash adds up small multiples, so that keys of neighbouring warehouses collide. */
        @Override
        public int hashCode() {
            return warehouseId * 131_071 + id;
        }
    }

    /** Key of the index of CUSTOMER by name. */
    record NameKey(int warehouseId, int districtId, String last, String first, int id) implements Comparable<NameKey> {
        @Override
        public int compareTo(NameKey other) {
            int order = Integer.compare(warehouseId, other.warehouseId);
            if (order != 0) {
                return order;
            }
            order = Integer.compare(districtId, other.districtId);
            if (order != 0) {
                return order;
            }
            order = last.compareTo(other.last);
            if (order != 0) {
                return order;
            }
            order = first.compareTo(other.first);
            if (order != 0) {
                return order;
            }
            return Integer.compare(id, other.id);
        }
    }

    final Map<Integer, Rows.Warehouse> warehouses = new HashMap<>();
    final Map<Key2, Rows.District> districts = new HashMap<>();
    final Map<Key3, Rows.Customer> customers = new HashMap<>();
    final TreeMap<NameKey, Rows.Customer> customersByName = new TreeMap<>();
    final Map<Long, Rows.History> histories = new HashMap<>();
    final TreeMap<Key3, Boolean> newOrders = new TreeMap<>();
    final Map<Key3, Rows.Order> orders = new HashMap<>();
    final TreeMap<Key4, Rows.Order> ordersByCustomer = new TreeMap<>();
    final TreeMap<Key4, Rows.OrderLine> orderLines = new TreeMap<>();
    final Map<Integer, Rows.Item> items = new HashMap<>();
    final Map<Key2, Rows.Stock> stocks = new HashMap<>();
}
