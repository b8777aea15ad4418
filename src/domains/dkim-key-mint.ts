import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { SecretBox } from '../platform/encryption/secret-box.js';
import { mintDkimKey } from './dkim-keys.js';
import type { DomainRow } from './domain-row.js';

/** What the owner of a domain publishes of its key. */
export type PublishedKey = Pick<DomainRow, 'dkim_selector' | 'dkim_public_key'>;

/**
 * Gives domains their keys. A key keeps one of the few threads of the process busy, which also sign mail and look up
 * names: whoever asks for many of them waits, and leaves the other threads alone.
 */
@Injectable()
export class DkimKeyMint {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
  ) {}

  /** The key of the domain, made unless it has one; undefined when the domain is gone. */
  make(domainId: string): Promise<PublishedKey | undefined> {
    const made = this.last.then(() => this.makeNow(domainId));
    this.last = made.catch(() => undefined);
    return made;
  }

  private async makeNow(domainId: string): Promise<PublishedKey | undefined> {
    const key = await mintDkimKey(this.box, domainId);
    const [row] = await this.database.query<PublishedKey>(
      `update sending_domains
          set dkim_selector = coalesce(dkim_selector, $2), dkim_public_key = coalesce(dkim_public_key, $3),
              sealed_dkim_key = coalesce(sealed_dkim_key, $4)
        where id = $1 returning dkim_selector, dkim_public_key`,
      [domainId, key.selector, key.publicKey, key.sealed],
    );
    return row;
  }
}
