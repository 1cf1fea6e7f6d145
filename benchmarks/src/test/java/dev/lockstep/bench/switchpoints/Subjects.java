package dev.lockstep.bench.switchpoints;

import dev.lockstep.scheduler.SThread;
import dev.lockstep.scheduler.latch.SpinLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;

/** Classes that points are inserted into. */
final class Subjects {
    private Subjects() {}

    /** An operation of three steps without a switch point of its own. */
    public static final class ThreeSteps implements BiConsumer<Integer, IntConsumer> {
        @Override
        public void accept(Integer operation, IntConsumer note) {
            SThread self = SThread.current();
            if (self != null) {
                self.beginOperation(operation);
            }
            for (int step = 1; step <= 3; step++) {
                note.accept(step);
            }
            if (self != null) {
                self.endOperation();
            }
        }
    }

    /** Instructions of many kinds and lengths. */
    public static final class Mixed implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            long sum = 1L << 40;
            double half = 0.5;
            for (int i = 0; i < n; i++) {
                switch (i % 5) {
                    case 0 -> sum += 3;
                    case 1 -> sum ^= i * 1_000_003L;
                    case 2 -> half = half * 2 > 64 ? 0.25 : half * 2;
                    default ->
                        sum -= new StringBuilder("x")
                                .append(i)
                                .append(n > 3 ? "a" : null)
                                .length();
                }
                switch (i) {
                    case -70_000, 12, 90_000 -> sum *= 7;
                    default -> sum++;
                }
                try {
                    sum += 100 / (i % 3);
                } catch (ArithmeticException e) {
                    sum += e.getMessage().length();
                } finally {
                    sum = Long.rotateLeft(sum, 3);
                }
                Object each = i % 2 == 0 ? "even" : (Object) i;
                sum += each instanceof String text ? text.length() : each.hashCode();
            }
            return Long.hashCode(sum) + (int) (half * 4);
        }
    }

    /** Methods that hold something where they call {@link #inside} and nothing where they call {@link #outside}. */
    public static final class Holder implements IntConsumer {
        private final Object monitor = new Object();
        private final SpinLatch latch = new SpinLatch();
        private final SpinLatch otherLatch = new SpinLatch();
        private final ReentrantLock lock = new ReentrantLock();
        private final ReentrantReadWriteLock readWrite = new ReentrantReadWriteLock();
        private int count;

        int count() {
            return count;
        }

        private void inside() {
            count++;
        }

        private void outside() {
            count++;
        }

        void nothing() {
            outside();
        }

        void monitor() {
            outside();
            synchronized (monitor) {
                inside();
                synchronized (latch) {
                    inside();
                }
                inside();
            }
            outside();
        }

        synchronized void synchronizedMethod() {
            inside();
        }

        static synchronized void staticMethod(Holder holder) {
            holder.inside();
        }

        synchronized void failingMethod() {
            throw new IllegalStateException("no longer held");
        }

        void latch() {
            outside();
            latch.latch();
            try {
                inside();
            } finally {
                inside();
                latch.unlatch();
            }
            outside();
        }

        void tryLatch() {
            if (latch.tryLatch()) {
                inside();
                latch.unlatch();
            }
        }

        void lock() {
            lock.lock();
            try {
                inside();
            } catch (IllegalStateException e) {
                inside();
            } finally {
                lock.unlock();
                outside();
            }
        }

        void readLock() {
            readWrite.readLock().lock();
            try {
                inside();
            } finally {
                readWrite.readLock().unlock();
            }
            outside();
        }

        /** Gives back what a caller has taken. */
        void monitorAndCallersLatch() {
            synchronized (monitor) {
                latch.unlatch();
                inside();
            }
            outside();
        }

        /** Hand over hand. */
        void latchAndCallersLatch() {
            otherLatch.latch();
            latch.unlatch();
            inside();
            otherLatch.unlatch();
            outside();
        }

        /** Which of them it is that is given back cannot be told, so it is the method's own. */
        void latchOfManyNames() {
            SpinLatch any = latch;
            any.latch();
            inside();
            any = latch;
            any.unlatch();
            outside();
        }

        void loop() {
            for (int i = 0; i < 3; i++) {
                if (i == 1) {
                    latch.latch();
                }
                inside();
                if (i == 1) {
                    latch.unlatch();
                }
            }
        }

        /** What is held here is not seen in {@link #callee}. */
        void caller() {
            latch.latch();
            callee();
            latch.unlatch();
            callee();
        }

        void callee() {
            outside();
        }

        @Override
        public void accept(int operation) {
            SThread self = SThread.current();
            self.beginOperation(operation);
            try {
                failingMethod();
            } catch (IllegalStateException e) {
                nothing();
            }
            monitor();
            synchronizedMethod();
            staticMethod(this);
            latch();
            tryLatch();
            lock();
            readLock();
            latch.latch();
            monitorAndCallersLatch();
            latch.latch();
            latchAndCallersLatch();
            latchOfManyNames();
            loop();
            caller();
            self.endOperation();
        }
    }
}
