/* Growing arrays, shared by the compiled kernels. */
#ifndef NUMBAT_VECTOR_H
#define NUMBAT_VECTOR_H
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    char *at;
    size_t used, room, width;
} Vector;

#define AT(type, vector, i) ((type *)(vector).at)[i]

static inline void *vector_add(Vector *vector) {
    if (vector->used == vector->room) {
        size_t room = vector->room ? vector->room * 2 : 64;
        char *at = realloc(vector->at, room * vector->width);
        if (!at) {
            PyErr_NoMemory();
            return NULL;
        }
        vector->at = at;
        vector->room = room;
    }
    return vector->at + vector->width * vector->used++;
}

/* Set the length of a vector, with undefined content; NULL without memory. */
static inline void *vector_of(Vector *vector, size_t length) {
    if (length > vector->room) {
        char *at = malloc(length * vector->width);
        if (!at) {
            PyErr_NoMemory();
            return NULL;
        }
        free(vector->at);
        vector->at = at;
        vector->room = length;
    }
    vector->used = length;
    return vector->at;
}

static inline int add_number(Vector *vector, int32_t number) {
    int32_t *at = vector_add(vector);
    if (!at) return -1;
    *at = number;
    return 0;
}

#endif
