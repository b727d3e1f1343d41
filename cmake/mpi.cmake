# What knows MPI is a module, which the library loads where a launcher has started the program: all else is the same with
# MPI and without, and a bundle without the module needs none. Static libraries hold it themselves.
file(GLOB mpi_sources CONFIGURE_DEPENDS libvox/ranks/mpi/*.cpp)
if(vox_has_MPI AND BUILD_SHARED_LIBS)
  add_library(vox_mpi MODULE ${mpi_sources})
  target_link_libraries(vox_mpi PRIVATE vox vox_options MPI::MPI_C)
  add_dependencies(vox_tools_common vox_mpi)  # it is there where a program is
elseif(vox_has_MPI)
  target_sources(vox PRIVATE ${mpi_sources})
  target_compile_definitions(vox PRIVATE VOX_MPI_LINKED)
  target_link_libraries(vox PRIVATE MPI::MPI_C)
endif()
# Its C++ interface is one that MPI has given up.
set_source_files_properties(${mpi_sources} PROPERTIES COMPILE_DEFINITIONS "OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX")
