# Stands where a CANN 9 toolkit has its build functions.
