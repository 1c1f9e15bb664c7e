# Copies FROM to TO with the sources' times: a header that did not change stays
# older than what was compiled from it. (copy_directory would make all of them
# new, and with them every kernel.)
file(GLOB files RELATIVE ${FROM} ${FROM}/*)
foreach(file ${files})
  file(COPY ${FROM}/${file} DESTINATION ${TO})
endforeach()
