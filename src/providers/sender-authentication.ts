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

/** A provider that signs for the domains of senders itself, with keys and records of its own. */
export interface SenderAuthentication {
  /** The records of the domain, which becomes known to the provider. @throws SenderAuthenticationError */
  register(domain: string): Promise<readonly ProviderRecord[]>;
  /** Lets the provider look for the records now. @throws SenderAuthenticationError */
  validate(domain: string): Promise<readonly ProviderRecord[]>;
}
