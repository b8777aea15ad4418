type Look<Seen> = Seen | undefined | false;

/** Looks again until there is something to see, and gives it back; fails when there is nothing in time. */
export async function eventually<Seen>(
  look: () => Look<Seen> | Promise<Look<Seen>>,
  patienceMs = 10_000,
): Promise<Seen> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`Not within ${patienceMs} ms: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
