const KEPT_CHARACTERS = 200_000;

/** The output of a process: its end, and any text that it must never contain. */
export class ServiceLog {
  private text = '';
  private readonly found = new Set<string>();

  /** @param canaries texts that must appear in no log line */
  constructor(private readonly canaries: readonly string[]) {}

  /** The canaries that were printed. */
  get leaks(): readonly string[] {
    return [...this.found];
  }

  get end(): string {
    return this.text;
  }

  get lastLine(): string {
    return this.text.trimEnd().split('\n').at(-1) ?? '';
  }

  write(chunk: string): void {
    // A canary may lie across two chunks.
    const seam = this.text.slice(-200) + chunk;
    for (const canary of this.canaries) if (seam.includes(canary)) this.found.add(canary);
    this.text = (this.text + chunk).slice(-KEPT_CHARACTERS);
  }
}
