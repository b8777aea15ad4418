type Look<Seen> = Seen | undefined | false;

const INTERVAL_MS = 20;
const PATIENCE_MS = 10_000;

/**
 * Looks again until there is something to see, and gives it back; fails when there is nothing in time.
 * @param patienceMs where the time itself is what the test is about, or more is needed. Without it, patience also means
 *   as many looks as a quiet machine gets in: on a busy one each takes longer, and so does what they wait for.
 */
export async function eventually<Seen>(
  look: () => Look<Seen> | Promise<Look<Seen>>,
  patienceMs?: number,
): Promise<Seen> {
  const deadline = performance.now() + (patienceMs ?? PATIENCE_MS);
  const leastLooks = patienceMs === undefined ? PATIENCE_MS / INTERVAL_MS : 0;
  for (let looks = 1; ; looks++) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline && looks >= leastLooks)
      throw new Error(`Not within ${patienceMs ?? PATIENCE_MS} ms and ${looks} looks: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
