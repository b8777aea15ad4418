/** Makes dates in templates independent of the host: a retry renders the same bytes elsewhere. */
export function keepTimeInUtc(): void {
  process.env['TZ'] = 'UTC';
}
