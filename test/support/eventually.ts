/** Asks again until `look` returns something, and gives it back; fails with what was seen last. */
export async function eventually<Seen>(
  look: () => Promise<Seen | undefined | false>,
  patienceMs = 10_000,
): Promise<Seen> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error(`It did not become true within ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
