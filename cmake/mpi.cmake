# All code that uses MPI is in a module, which the library loads if a launcher has started the program.
# Everything else is the same with and without MPI, and a bundle without the module needs no MPI. Static
# libraries contain the code themselves.
file(GLOB mpi_sources CONFIGURE_DEPENDS libvox/ranks/mpi/*.cpp)
if(vox_has_MPI AND BUILD_SHARED_LIBS)
  add_library(vox_mpi MODULE ${mpi_sources})
  target_link_libraries(vox_mpi PRIVATE vox vox_options vox_hardened MPI::MPI_C)
  add_dependencies(vox_tools_common vox_mpi)  # so that the module is built wherever a program is
elseif(vox_has_MPI)
  target_sources(vox PRIVATE ${mpi_sources})
  target_compile_definitions(vox PRIVATE VOX_MPI_LINKED)
  target_link_libraries(vox PRIVATE MPI::MPI_C)
endif()
# MPI's C++ interface, which MPI has abandoned, is not used.
set_source_files_properties(${mpi_sources} PROPERTIES COMPILE_DEFINITIONS "OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX")
