/** True if a machine opened or clicked. A proxy loads images when its user reads. */
export function isByMachine(kind: string | undefined): boolean {
  return kind !== undefined && kind !== 'human' && kind !== 'proxy';
}
