/** What a stub does to the traffic of one key (an email id, an address); '*' is everybody's. */
export class Scripts<Step> {
  /** How many steps were played. */
  played = 0;
  private readonly steps = new Map<string, { step: Step; left: number }[]>();

  /** Plays `step` for the next `times` matches, after the steps scripted before it. */
  add(key: string, step: Step, times = Infinity): void {
    const queue = this.steps.get(key) ?? [];
    queue.push({ step, left: times });
    this.steps.set(key, queue);
  }

  /** Forgets the steps of one key, or all of them. */
  clear(key?: string): void {
    if (key === undefined) this.steps.clear();
    else this.steps.delete(key);
  }

  /** Uses up the next step that `matches`, looking at the keys in their order and at '*' last. */
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
