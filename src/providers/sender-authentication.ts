/** A DNS record that a provider asks the owner of a domain for, and whether it saw it. */
export interface ProviderRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly purpose: 'dkim' | 'return-path';
  readonly valid: boolean;
  /** Why the record is not valid, in the provider's words, where it says. */
  readonly reason: string | null;
}

/** Thrown when a provider cannot be asked; its message may be logged, and holds no credential. */
export class SenderAuthenticationError extends Error {}

/** A domain as the provider knows it. */
export interface ProviderDomain {
  readonly records: readonly ProviderRecord[];
  /** What the provider calls it, given when it was made there just now. */
  readonly madeId?: string;
}

/** A provider that signs for the domains of senders itself, with keys and records of its own. */
export interface SenderAuthentication {
  /** Lets the provider look for the records now; a domain that it does not know is made. @throws SenderAuthenticationError */
  validate(domain: string): Promise<ProviderDomain>;
  /** Removes what `validate` made; nothing is to do when it is gone already. @throws SenderAuthenticationError */
  remove(madeId: string): Promise<void>;
}
