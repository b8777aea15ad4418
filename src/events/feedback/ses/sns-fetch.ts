/** Fetches a text from an address of SNS. Rejects unless it gets all of it with status 200. */
export type SnsFetch = (url: URL) => Promise<string>;

export const SNS_FETCH = Symbol('SNS_FETCH');

const TIMEOUT_MS = 5_000;
/** A certificate has two kilobytes. */
const MAX_BYTES = 64 * 1024;

export const fetchFromSns: SnsFetch = async (url) => {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the response.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('SNS responded with too many bytes');
    chunks.push(chunk);
  }
  if (response.status !== 200) throw new Error(`SNS responded with ${response.status}`);
  return Buffer.concat(chunks).toString('utf8');
};
