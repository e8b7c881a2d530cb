from gouji.engine._state cimport Rules


cdef class CompiledRules:
    cdef Rules c
    cdef bytes tag


cdef CompiledRules compiled(object rules)
