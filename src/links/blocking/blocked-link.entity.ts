import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { isOneOf } from '../../platform/database/one-of.js';
import { STORED_BLOCKS, type StoredBlockKind } from './block-kinds.js';

/** One entry of the deny list for links. No foreign keys: an entry outlives the email or organization that it names. */
@Entity('blocked_links')
@Check('blocked_links_kind', isOneOf('kind', STORED_BLOCKS))
export class BlockedLink {
  @PrimaryColumn({ type: 'text' })
  kind!: StoredBlockKind;

  /**
   * A host with its subdomains; the tracking ID of an email; the ID of an organization that is blocked or being
   * deleted; or the tag of a deleted one as `key:tag`, which does not reveal the organization.
   */
  @PrimaryColumn({ type: 'text' })
  value!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
