/**
 * Scripted steps of a stub for the traffic of one key (an email ID, an address); the steps of '*' apply to every key.
 */
export class Scripts<Step> {
  /** Number of steps used up. */
  played = 0;
  private readonly steps = new Map<string, { step: Step; left: number }[]>();

  /** Scripts `step` for the next `times` matches, after the steps scripted before it. */
  add(key: string, step: Step, times = Infinity): void {
    const queue = this.steps.get(key) ?? [];
    queue.push({ step, left: times });
    this.steps.set(key, queue);
  }

  /** Removes the steps of one key, or all of them. */
  clear(key?: string): void {
    if (key === undefined) this.steps.clear();
    else this.steps.delete(key);
  }

  /** Uses up the next step that `matches`. Searches the keys in their order and '*' last. */
  take(keys: readonly string[], matches: (step: Step) => boolean = () => true): Step | undefined {
    for (const key of [...keys, '*']) {
      const entry = this.steps.get(key)?.find(({ step, left }) => left > 0 && matches(step));
      if (!entry) continue;
      entry.left -= 1;
      this.played += 1;
      return entry.step;
    }
    return undefined;
  }
}
