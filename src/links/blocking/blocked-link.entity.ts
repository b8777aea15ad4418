import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** One entry of the deny list for links. No foreign keys: an entry outlives the email or organization that it names. */
@Entity('blocked_links')
@Check('blocked_links_kind', "kind in ('host', 'email', 'organization', 'deleted', 'tag')")
export class BlockedLink {
  @PrimaryColumn({ type: 'text' })
  kind!: 'host' | 'email' | 'organization' | 'deleted' | 'tag';

  /**
   * A host with its subdomains; the tracking ID of an email; the ID of an organization that is blocked or being deleted;
   * or the tag of a deleted one as `key:tag`, which does not reveal the organization.
   */
  @PrimaryColumn({ type: 'text' })
  value!: string;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
