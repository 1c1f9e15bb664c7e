// The mode that launches run in: installs the observers of check or profile
// mode, and closes the mode when the program ends.
#pragma once

namespace lossgrad::sim {

// Follows LOSSGRAD_MODE the first time, unless the program has chosen already.
void selectModeOnce();

// Writes what the mode has to say and returns the exit status that it asks
// for: the number of findings, at most 125, or 0. Later calls do nothing.
int finishMode();

} // namespace lossgrad::sim
