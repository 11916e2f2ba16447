/* Rows of numbers, numbered in the order of their first use. */
#ifndef NUMBAT_ROWS_H
#define NUMBAT_ROWS_H
#include "_vector.h"

#include <string.h>

typedef struct { /* row i ends where row i + 1 begins */
    Vector pool, begins;
    int32_t *slots; /* number + 1, 0 for an empty slot */
    size_t size;
} Rows;

static inline void rows_new(Rows *rows) {
    *rows = (Rows){.pool.width = sizeof(int32_t), .begins.width = sizeof(size_t)};
}

static inline size_t rows_room(const Rows *rows) { /* in bytes */
    return rows->pool.room * rows->pool.width + rows->begins.room * rows->begins.width + rows->size * sizeof(int32_t);
}

static inline uint64_t hash_of(const int32_t *row, size_t size) {
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (uint32_t)row[i]) * 0x9E3779B97F4A7C15ull;
        hash ^= hash >> 29;
    }
    return hash;
}

static inline const int32_t *row_of(const Rows *rows, int32_t number, size_t *size) {
    size_t begin = AT(size_t, rows->begins, number);
    size_t end = (size_t)number + 1 < rows->begins.used ? AT(size_t, rows->begins, number + 1) : rows->pool.used;
    *size = end - begin;
    return (int32_t *)rows->pool.at + begin;
}

static inline int rows_grow(Rows *rows) {
    size_t size = rows->size ? rows->size * 2 : 64;
    int32_t *slots = calloc(size, sizeof *slots);
    if (!slots) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < rows->begins.used; i++) {
        size_t length;
        const int32_t *row = row_of(rows, (int32_t)i, &length);
        size_t slot = (size_t)hash_of(row, length) & (size - 1);
        while (slots[slot]) slot = (slot + 1) & (size - 1);
        slots[slot] = (int32_t)i + 1;
    }
    free(rows->slots);
    rows->slots = slots;
    rows->size = size;
    return 0;
}

/* Return the number of a row, and set *is_new if it is new. -1 without memory. */
static inline int32_t rows_put(Rows *rows, const Vector *made, int *is_new) {
    if (rows->begins.used * 2 >= rows->size && rows_grow(rows) < 0) return -1;
    const int32_t *row = (const int32_t *)made->at;
    size_t slot = (size_t)hash_of(row, made->used) & (rows->size - 1);
    for (; rows->slots[slot]; slot = (slot + 1) & (rows->size - 1)) {
        size_t size;
        const int32_t *other = row_of(rows, rows->slots[slot] - 1, &size);
        if (size == made->used && (!size || !memcmp(row, other, size * sizeof *row))) {
            *is_new = 0;
            return rows->slots[slot] - 1;
        }
    }
    size_t *begin = vector_add(&rows->begins);
    if (!begin) return -1;
    *begin = rows->pool.used;
    for (size_t i = 0; i < made->used; i++)
        if (add_number(&rows->pool, row[i]) < 0) return -1;
    *is_new = 1;
    return rows->slots[slot] = (int32_t)rows->begins.used, rows->slots[slot] - 1;
}

static inline void rows_free(Rows *rows) {
    free(rows->pool.at);
    free(rows->begins.at);
    free(rows->slots);
}

#endif
