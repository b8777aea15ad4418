import type { Command } from 'commander';

/**
 * Makes a command, and those below it, refuse an option with one value that is given twice: the last value would win,
 * and `key revoke --key A --key B` would leave the first key valid.
 */
export function refuseRepeatedOptions(command: Command): void {
  for (const option of command.options) {
    if (option.isBoolean() || option.variadic) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' can be given only once`);
      isGiven = true;
    });
  }
  for (const child of command.commands) refuseRepeatedOptions(child);
}
