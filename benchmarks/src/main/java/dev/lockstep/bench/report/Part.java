package dev.lockstep.bench.report;

/** One thing in a section. */
public sealed interface Part permits Paragraph, Table, Plot, EmbeddedPage {}
