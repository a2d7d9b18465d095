// Empty: carries the headers that many files share, compiled once (MusterTargets.cmake).
