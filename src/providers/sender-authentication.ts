/** A DNS record that a provider requires for a domain, and whether it found it. */
export interface ProviderRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly purpose: 'dkim' | 'return-path';
  readonly valid: boolean;
  /** The provider's reason why the record is invalid, if it gives one. */
  readonly reason: string | null;
}

/** Thrown when a call to a provider fails. Its message is safe to log and contains no credential. */
export class SenderAuthenticationError extends Error {
  /** @param isRefusal true when the provider refused this request, false when others would fail, too */
  constructor(
    message: string,
    readonly isRefusal = false,
  ) {
    super(message);
  }
}

/** A domain in the provider's account. */
export interface ProviderDomain {
  readonly records: readonly ProviderRecord[];
  /** True when the provider accepts senders of the domain: it may refuse them although it finds the DKIM records. */
  readonly isAuthenticated: boolean;
  /** ID of the domain at the provider, set if this call created it. */
  readonly madeId?: string;
}

/** A provider that signs for sender domains itself, with its own keys and records. */
export interface SenderAuthentication {
  /** Makes the provider check the records now, and creates a missing domain. @throws SenderAuthenticationError */
  validate(domain: string): Promise<ProviderDomain>;
  /** Removes a domain that `validate` created, if it still exists. @throws SenderAuthenticationError */
  remove(madeId: string): Promise<void>;
}
