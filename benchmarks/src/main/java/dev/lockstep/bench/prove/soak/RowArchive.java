package dev.lockstep.bench.prove.soak;

import dev.lockstep.tpcc.adapter.CustomerRow;
import dev.lockstep.tpcc.adapter.DistrictRow;
import dev.lockstep.tpcc.adapter.HistoryRow;
import dev.lockstep.tpcc.adapter.ItemRow;
import dev.lockstep.tpcc.adapter.NewOrderRow;
import dev.lockstep.tpcc.adapter.OldRowTarget;
import dev.lockstep.tpcc.adapter.OrderLineRow;
import dev.lockstep.tpcc.adapter.OrderRow;
import dev.lockstep.tpcc.adapter.StockRow;
import dev.lockstep.tpcc.adapter.TpccScanner;
import dev.lockstep.tpcc.adapter.WarehouseRow;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The rows that have left a database of TPC-C, in three files outside of it: what the conditions and the tally look at,
 * and no text. Read together with what is left they are judged as if nothing had left. Takes no more memory for more
 * rows.
 *
 * <p>A row of each file, big-endian, no header:
 *
 * <pre>
 *  orders    | O_W_ID 4 | O_D_ID 4 | O_ID 4 | O_C_ID 4 | O_CARRIER_ID 4 | O_OL_CNT 4 |
 *  lines     | OL_W_ID 4 | OL_D_ID 4 | OL_O_ID 4 | OL_NUMBER 4 | OL_DELIVERY_D 8 | OL_AMOUNT 4 |
 *  histories | H_W_ID 4 | H_D_ID 4 | H_C_W_ID 4 | H_C_D_ID 4 | H_C_ID 4 | H_AMOUNT 8 |
 * </pre>
 *
 * <p>Not thread-safe; {@link #beside} when nothing more comes.
 */
final class RowArchive implements OldRowTarget, AutoCloseable {
    private final Path directory;
    private final DataOutputStream orders;
    private final DataOutputStream lines;
    private final DataOutputStream histories;
    private long orderCount;
    private long lineCount;
    private long historyCount;

    /** @param directory where the files go; it exists */
    RowArchive(Path directory) throws IOException {
        this.directory = directory;
        orders = output("orders");
        lines = output("lines");
        histories = output("histories");
    }

    private DataOutputStream output(String name) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(directory.resolve(name))));
    }

    /** Orders, their lines, and payments that have come here. */
    long rowCount() {
        return orderCount + lineCount + historyCount;
    }

    @Override
    public void order(OrderRow order, List<OrderLineRow> itsLines) {
        try {
            orders.writeInt(order.warehouseId);
            orders.writeInt(order.districtId);
            orders.writeInt(order.id);
            orders.writeInt(order.customerId);
            orders.writeInt(order.carrierId);
            orders.writeInt(order.lineCount);
            orderCount++;
            for (OrderLineRow line : itsLines) {
                lines.writeInt(line.warehouseId);
                lines.writeInt(line.districtId);
                lines.writeInt(line.orderId);
                lines.writeInt(line.number);
                lines.writeLong(line.deliveryMillis);
                lines.writeInt(line.amountCents);
                lineCount++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void history(HistoryRow row) {
        try {
            histories.writeInt(row.warehouseId);
            histories.writeInt(row.districtId);
            histories.writeInt(row.customerWarehouseId);
            histories.writeInt(row.customerDistrictId);
            histories.writeInt(row.customerId);
            histories.writeLong(row.amountCents);
            historyCount++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads one row from a file. */
    @FunctionalInterface
    private interface RowReader {
        void read(DataInputStream from) throws IOException;
    }

    private void readAll(String name, long count, RowReader reader) {
        try (DataInputStream from =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(directory.resolve(name))))) {
            for (long i = 0; i < count; i++) {
                reader.read(from);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readOrders(TpccScanner.Visitor<OrderRow> visitor) {
        OrderRow row = new OrderRow();
        readAll("orders", orderCount, from -> {
            row.warehouseId = from.readInt();
            row.districtId = from.readInt();
            row.id = from.readInt();
            row.customerId = from.readInt();
            row.carrierId = from.readInt();
            row.lineCount = from.readInt();
            visitor.visit(row);
        });
    }

    private void readLines(TpccScanner.Visitor<OrderLineRow> visitor) {
        OrderLineRow row = new OrderLineRow();
        readAll("lines", lineCount, from -> {
            row.warehouseId = from.readInt();
            row.districtId = from.readInt();
            row.orderId = from.readInt();
            row.number = from.readInt();
            row.deliveryMillis = from.readLong();
            row.amountCents = from.readInt();
            visitor.visit(row);
        });
    }

    private void readHistories(TpccScanner.Visitor<HistoryRow> visitor) {
        HistoryRow row = new HistoryRow();
        readAll("histories", historyCount, from -> {
            row.warehouseId = from.readInt();
            row.districtId = from.readInt();
            row.customerWarehouseId = from.readInt();
            row.customerDistrictId = from.readInt();
            row.customerId = from.readInt();
            row.amountCents = from.readLong();
            visitor.visit(row);
        });
    }

    /**
     * Returns a scanner of what is here and what is left, of which the former comes first.
     *
     * @param left a scanner of the database, closed with the one returned
     * @throws UncheckedIOException if the files cannot be written to their ends
     */
    TpccScanner beside(TpccScanner left) {
        try {
            orders.flush();
            lines.flush();
            histories.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Both(left);
    }

    @Override
    public void close() throws IOException {
        try (orders;
                lines) {
            histories.close();
        }
    }

    /** What is here, and then what is left. */
    private final class Both implements TpccScanner {
        private final TpccScanner left;

        Both(TpccScanner left) {
            this.left = left;
        }

        @Override
        public void warehouses(Visitor<WarehouseRow> visitor) {
            left.warehouses(visitor);
        }

        @Override
        public void districts(Visitor<DistrictRow> visitor) {
            left.districts(visitor);
        }

        @Override
        public void customers(Visitor<CustomerRow> visitor) {
            left.customers(visitor);
        }

        @Override
        public void histories(Visitor<HistoryRow> visitor) {
            readHistories(visitor);
            left.histories(visitor);
        }

        @Override
        public void newOrders(Visitor<NewOrderRow> visitor) {
            left.newOrders(visitor);
        }

        @Override
        public void orders(Visitor<OrderRow> visitor) {
            readOrders(visitor);
            left.orders(visitor);
        }

        @Override
        public void orderLines(Visitor<OrderLineRow> visitor) {
            readLines(visitor);
            left.orderLines(visitor);
        }

        @Override
        public void items(Visitor<ItemRow> visitor) {
            left.items(visitor);
        }

        @Override
        public void stocks(Visitor<StockRow> visitor) {
            left.stocks(visitor);
        }

        @Override
        public void close() {
            left.close();
        }
    }
}
