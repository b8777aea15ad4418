import { createHmac } from 'node:crypto';

/**
 * Builds the headers of Standard Webhooks 1.0.0: one signature per key over ID, time and body. With several keys,
 * receivers can switch to a new secret at their own pace.
 * @param at time of this attempt, in milliseconds since the Unix epoch
 */
export function signedHeaders(id: string, at: number, body: string, keys: readonly Buffer[]): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = keys.map((key) => {
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${signature}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
