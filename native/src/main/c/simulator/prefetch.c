#include "prefetch.h"

#include "model_parts.h"
#include "pages.h"

/* A line that follows another is fetched only within the page: the next page may be anywhere. */
static bool same_page(const struct model *model, uint64_t one, uint64_t other) {
    return ((one ^ other) >> pages_shift(model, one)) == 0;
}

static void next_line(struct model *model, struct processor *processor, int level, uint64_t address) {
    uint64_t line_bytes = (uint64_t) 1 << model->level_shift[level];
    uint64_t next = (address & ~(line_bytes - 1)) + line_bytes;
    if (same_page(model, address, next)) {
        model_prefetch(model, processor, level, next);
    }
}

static void after_l2(struct model *model, struct processor *processor, uint64_t address) {
    if (processor->l2_missed) {
        processor->l2_missed = false;
        next_line(model, processor, LEVEL_L2, address);
    }
}

void prefetch_after_fetch(struct model *model, struct processor *processor, uint64_t address) {
    if (model->machine.next_line[LEVEL_L1I]) {
        next_line(model, processor, LEVEL_L1I, address);
    }
    after_l2(model, processor, address);
}

/* Fetches what a stream has not yet fetched, up to its depth beyond the line it moved to. */
static void run_ahead(struct model *model, struct processor *processor, struct stream *stream, uint64_t line) {
    int level = model->stream_level;
    uint64_t from = line << model->l1d_shift;
    uint64_t step = (uint64_t) (int64_t) stream->step;
    uint64_t end = line + step * model->machine.stream_depth;
    uint64_t next = stream->ahead + step;
    /* The stream stands ahead of the line, or, restarted, on it: so end is at most depth steps away. */
    for (uint32_t i = 0; i < model->machine.stream_depth && stream->ahead != end; i++, next += step) {
        uint64_t address = next << model->l1d_shift;
        if (!same_page(model, from, address)) {
            break;
        }
        stream->ahead = next;
        model_prefetch(model, processor, level, address);
    }
}

static void follow(struct model *model, struct processor *processor, uint64_t line) {
    struct core *core = processor->core;
    struct stream *oldest = core->streams;
    for (struct stream *stream = core->streams, *end = stream + model->machine.streams; stream < end; stream++) {
        int64_t step = (int64_t) (line - stream->line);
        if (stream->used != 0 && (step == 1 || step == -1)) {
            bool again = stream->step == step;
            int64_t lead = (int64_t) (stream->ahead - line) * step;
            stream->step = (int32_t) step;
            stream->line = line;
            stream->used = ++core->stream_tick;
            if (again) {
                if (lead < 0 || lead > (int64_t) model->machine.stream_depth) {
                    stream->ahead = line;
                }
                run_ahead(model, processor, stream, line);
            } else {
                stream->ahead = line;
            }
            return;
        }
        if (stream->used < oldest->used) {
            oldest = stream;
        }
    }
    *oldest = (struct stream) {.line = line, .ahead = line, .used = ++core->stream_tick};
}

void prefetch_after_data(struct model *model, struct processor *processor, uint64_t address, bool missed) {
    if (missed && model->machine.next_line[LEVEL_L1D]) {
        next_line(model, processor, LEVEL_L1D, address);
    }
    if (missed) {
        after_l2(model, processor, address);
    }
    if (model->machine.streams != 0) {
        follow(model, processor, address >> model->l1d_shift);
    }
}
