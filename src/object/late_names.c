/*
 * Names of addresses — symbols, thunks, slots — are read when the first is asked for: most files
 * that a recording opens are libraries of which it has called nothing, and reading their names
 * takes longer than all else that is read of them.
 *
 * To who has the object it looks as if they had been there from the begin: who comes while they are
 * read waits. What reads them looks them up, too, and finds what is there by then.
 */
#include "object/private.h"

void late_names_init(struct object *object)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&object->late.mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

void late_names_fini(struct object *object)
{
	pthread_mutex_destroy(&object->late.mutex);
}

void late_names_want_by(struct object *object, void (*read)(struct object *object))
{
	object->late.read = read;
	object->late.state = NAMES_WANTED;
}

void late_names_load(struct object *object)
{
	pthread_mutex_lock(&object->late.mutex);
	if (object->late.state == NAMES_WANTED) {
		__atomic_store_n(&object->late.state, NAMES_BEGUN, __ATOMIC_RELAXED);
		object->late.read(object);
		__atomic_store_n(&object->late.state, NAMES_THERE, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&object->late.mutex);
}
