package dev.lockstep.bench.codemap;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayDeque;
import java.util.Deque;

/** The main class of a JVM with the agent: has a method compiled with another one in it, and places used again. */
final class CompiledProgram {
    private static final int CALLS = 50_000;
    private static final int ROUNDS = 3;
    private static final int CLASSES_PER_ROUND = 16;

    /**
     * Hidden classes that outlive the round that made them. A JVM can end with an internal error (JDK 25,
     * {@code guarantee(!nm->is_unloading())}) if a class is collected while the event of its compiled method waits for
     * the service thread; so the newest are not the ones that are collected.
     */
    private static final int CLASSES_KEPT = 8;

    private static long[] table = new long[100];

    private CompiledProgram() {}

    /** What hidden classes are made of, whose code goes when they are collected. */
    static final class Template {
        private Template() {}

        static long work(long rounds) {
            long sum = 0;
            for (long i = 0; i < rounds; i++) {
                sum = sum * 31 + i;
            }
            return sum;
        }
    }

    public static void main(String[] arguments) throws Throwable {
        long sum = 0;
        for (int i = 0; i < CALLS; i++) {
            sum += outer(i);
        }
        byte[] template;
        try (InputStream resource = Template.class.getResourceAsStream("CompiledProgram$Template.class")) {
            template = resource.readAllBytes();
        }
        Deque<Class<?>> classes = new ArrayDeque<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < CLASSES_PER_ROUND; i++) {
                MethodHandles.Lookup hidden = MethodHandles.lookup().defineHiddenClass(template, true);
                classes.add(hidden.lookupClass());
                sum += runHidden(hidden);
            }
            while (classes.size() > CLASSES_KEPT) {
                classes.remove();
            }
            System.gc();
        }
        System.out.println(sum + classes.size());
    }

    private static long runHidden(MethodHandles.Lookup hidden) throws Throwable {
        return (long) hidden.findStatic(hidden.lookupClass(), "work", MethodType.methodType(long.class, long.class))
                .invoke(100L);
    }

    private static long outer(long value) throws IOException {
        if (value < 0) {
            throw new IOException("never");
        }
        return inner(value) + inner(value + 1);
    }

    /** With an access that is checked: of plain arithmetic C2 does not always say whose it was. */
    private static long inner(long value) {
        return table[(int) (value % table.length)];
    }
}
