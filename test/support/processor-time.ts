/**
 * Measures processor time of this process, because elapsed time includes what other programs of the machine do.
 * @returns reads the milliseconds since the call
 */
export function processorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
