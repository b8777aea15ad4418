/**
 * The last time at which something is known to have happened to an email. Its events can be deleted by age, and hits
 * that were only counted have none.
 * @param e a row of `emails`
 */
export function latestActivity(e: string): string {
  const times = ['created_at', 'sent_at', 'first_open_at', 'first_click_at', 'last_click_at'];
  return `greatest(${times.map((column) => `${e}.${column}`).join(', ')})`;
}
