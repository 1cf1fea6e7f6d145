-- The nine tables of TPC-C (clause 1.3) in standard SQL: the one source of the schema, from which jOOQ generates
-- dev.lockstep.tpcc.schema. Differences from the specification, all of which it allows:
-- table ORDER is named ORDERS, since ORDER is a reserved word;
-- HISTORY has a key of its own, which the specification does not give it, for engines that cluster tables by key;
-- identifiers and counts of at most five digits are SMALLINT, the others INTEGER, in place of numerics;
-- sums of money have 15 digits in place of 12, which an in-memory engine overflows within a minute.

CREATE TABLE warehouse (
    w_id SMALLINT NOT NULL,
    w_name VARCHAR(10) NOT NULL,
    w_street_1 VARCHAR(20) NOT NULL,
    w_street_2 VARCHAR(20) NOT NULL,
    w_city VARCHAR(20) NOT NULL,
    w_state CHAR(2) NOT NULL,
    w_zip CHAR(9) NOT NULL,
    w_tax DECIMAL(4, 4) NOT NULL,
    w_ytd DECIMAL(15, 2) NOT NULL,
    CONSTRAINT warehouse_key PRIMARY KEY (w_id)
);

CREATE TABLE district (
    d_w_id SMALLINT NOT NULL,
    d_id SMALLINT NOT NULL,
    d_name VARCHAR(10) NOT NULL,
    d_street_1 VARCHAR(20) NOT NULL,
    d_street_2 VARCHAR(20) NOT NULL,
    d_city VARCHAR(20) NOT NULL,
    d_state CHAR(2) NOT NULL,
    d_zip CHAR(9) NOT NULL,
    d_tax DECIMAL(4, 4) NOT NULL,
    d_ytd DECIMAL(15, 2) NOT NULL,
    d_next_o_id INTEGER NOT NULL,
    CONSTRAINT district_key PRIMARY KEY (d_w_id, d_id)
);

CREATE TABLE customer (
    c_w_id SMALLINT NOT NULL,
    c_d_id SMALLINT NOT NULL,
    c_id INTEGER NOT NULL,
    c_first VARCHAR(16) NOT NULL,
    c_middle CHAR(2) NOT NULL,
    c_last VARCHAR(16) NOT NULL,
    c_street_1 VARCHAR(20) NOT NULL,
    c_street_2 VARCHAR(20) NOT NULL,
    c_city VARCHAR(20) NOT NULL,
    c_state CHAR(2) NOT NULL,
    c_zip CHAR(9) NOT NULL,
    c_phone CHAR(16) NOT NULL,
    c_since TIMESTAMP(3) NOT NULL,
    c_credit CHAR(2) NOT NULL,
    c_credit_lim DECIMAL(15, 2) NOT NULL,
    c_discount DECIMAL(4, 4) NOT NULL,
    c_balance DECIMAL(15, 2) NOT NULL,
    c_ytd_payment DECIMAL(15, 2) NOT NULL,
    c_payment_cnt INTEGER NOT NULL,
    c_delivery_cnt INTEGER NOT NULL,
    c_data VARCHAR(500) NOT NULL,
    CONSTRAINT customer_key PRIMARY KEY (c_w_id, c_d_id, c_id)
);

-- Selection by last name: Payment and Order-Status.
CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first);

CREATE TABLE history (
    h_id BIGINT NOT NULL,
    h_c_id INTEGER NOT NULL,
    h_c_d_id SMALLINT NOT NULL,
    h_c_w_id SMALLINT NOT NULL,
    h_d_id SMALLINT NOT NULL,
    h_w_id SMALLINT NOT NULL,
    h_date TIMESTAMP(3) NOT NULL,
    h_amount DECIMAL(6, 2) NOT NULL,
    h_data VARCHAR(24) NOT NULL,
    CONSTRAINT history_key PRIMARY KEY (h_id)
);

CREATE TABLE new_order (
    no_w_id SMALLINT NOT NULL,
    no_d_id SMALLINT NOT NULL,
    no_o_id INTEGER NOT NULL,
    CONSTRAINT new_order_key PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);

CREATE TABLE orders (
    o_w_id SMALLINT NOT NULL,
    o_d_id SMALLINT NOT NULL,
    o_id INTEGER NOT NULL,
    o_c_id INTEGER NOT NULL,
    o_entry_d TIMESTAMP(3) NOT NULL,
    o_carrier_id SMALLINT,
    o_ol_cnt SMALLINT NOT NULL,
    o_all_local SMALLINT NOT NULL,
    CONSTRAINT orders_key PRIMARY KEY (o_w_id, o_d_id, o_id)
);

-- The newest order of a customer: Order-Status.
CREATE INDEX orders_by_customer ON orders (o_w_id, o_d_id, o_c_id, o_id);

CREATE TABLE order_line (
    ol_w_id SMALLINT NOT NULL,
    ol_d_id SMALLINT NOT NULL,
    ol_o_id INTEGER NOT NULL,
    ol_number SMALLINT NOT NULL,
    ol_i_id INTEGER NOT NULL,
    ol_supply_w_id SMALLINT NOT NULL,
    ol_delivery_d TIMESTAMP(3),
    ol_quantity SMALLINT NOT NULL,
    ol_amount DECIMAL(6, 2) NOT NULL,
    ol_dist_info CHAR(24) NOT NULL,
    CONSTRAINT order_line_key PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);

CREATE TABLE item (
    i_id INTEGER NOT NULL,
    i_im_id INTEGER NOT NULL,
    i_name VARCHAR(24) NOT NULL,
    i_price DECIMAL(5, 2) NOT NULL,
    i_data VARCHAR(50) NOT NULL,
    CONSTRAINT item_key PRIMARY KEY (i_id)
);

CREATE TABLE stock (
    s_w_id SMALLINT NOT NULL,
    s_i_id INTEGER NOT NULL,
    s_quantity SMALLINT NOT NULL,
    s_dist_01 CHAR(24) NOT NULL,
    s_dist_02 CHAR(24) NOT NULL,
    s_dist_03 CHAR(24) NOT NULL,
    s_dist_04 CHAR(24) NOT NULL,
    s_dist_05 CHAR(24) NOT NULL,
    s_dist_06 CHAR(24) NOT NULL,
    s_dist_07 CHAR(24) NOT NULL,
    s_dist_08 CHAR(24) NOT NULL,
    s_dist_09 CHAR(24) NOT NULL,
    s_dist_10 CHAR(24) NOT NULL,
    s_ytd INTEGER NOT NULL,
    s_order_cnt INTEGER NOT NULL,
    s_remote_cnt INTEGER NOT NULL,
    s_data VARCHAR(50) NOT NULL,
    CONSTRAINT stock_key PRIMARY KEY (s_w_id, s_i_id)
);
