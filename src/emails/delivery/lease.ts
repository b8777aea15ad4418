/** The duration of a lease without renewal, after which a dead worker is detected. */
export const EMAIL_LEASE_MS = 30_000;

/** The claim on an email while it is `sending`: only the holder may record its outcome. */
export interface Lease {
  readonly emailId: string;
  readonly token: string;
  /** Emails of broadcasts share statements only with each other: other mail would wait for the large ones. */
  readonly isOfBroadcast?: boolean;
}

/** The parameters of a statement about several leases. */
export function leaseKeys(leases: readonly Lease[]): { emailIds: string[]; tokens: string[] } {
  return { emailIds: leases.map(({ emailId }) => emailId), tokens: leases.map(({ token }) => token) };
}
