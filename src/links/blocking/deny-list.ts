import { organizationTagOf, type CarriedTag } from '../organization-tag.js';
import type { SigningKeys } from '../signing-keys.js';
import type { BlockKind, ORGANIZATION_BLOCKS, StoredBlockKind } from './block-kinds.js';
import { destinationHostOf } from './host-name.js';

export type StoredBlocks = Readonly<Partial<Record<StoredBlockKind, readonly string[]>>>;

type OrganizationBlock = (typeof ORGANIZATION_BLOCKS)[number];

/** The deny list for links, in memory. It never changes: a refresh replaces it. */
export class DenyList {
  readonly isEmpty: boolean;
  readonly hasOrganizations: boolean;
  private readonly hosts: ReadonlySet<string>;
  private readonly emails: ReadonlySet<string>;
  private readonly organizations: ReadonlyMap<string, OrganizationBlock>;
  /** Of deleted organizations, as `key:tag`. */
  private readonly deadTags: readonly string[];
  /** By key, because each key has its own tags. */
  private readonly tags = new Map<number, ReadonlyMap<number, OrganizationBlock>>();

  constructor({ host = [], email = [], organization = [], deleted = [], tag = [] }: StoredBlocks) {
    this.hosts = new Set(host);
    this.emails = new Set(email);
    // An organization that is both blocked and deleted counts as deleted.
    this.organizations = new Map([
      ...organization.map((id) => [id, 'organization'] as const),
      ...deleted.map((id) => [id, 'deleted'] as const),
    ]);
    this.deadTags = tag;
    this.hasOrganizations = this.organizations.size > 0 || tag.length > 0;
    this.isEmpty = host.length === 0 && email.length === 0 && !this.hasOrganizations;
  }

  /** True once an organization was deleted: an unknown email must have belonged to it. */
  get hasDeleted(): boolean {
    return this.deadTags.length > 0 || [...this.organizations.values()].includes('deleted');
  }

  /** Entries by kind, for metrics and log lines. */
  get sizes(): Readonly<Record<BlockKind, number>> {
    const kinds = [...this.organizations.values()];
    return {
      host: this.hosts.size,
      email: this.emails.size,
      organization: kinds.filter((kind) => kind === 'organization').length,
      deleted: kinds.filter((kind) => kind === 'deleted').length + this.deadTags.length,
    };
  }

  /** Whether the link's email or host is on the list. @param url the destination as the browser receives it */
  kindOfLink(emailTrackingId: string, url: string): 'host' | 'email' | undefined {
    if (this.emails.has(emailTrackingId)) return 'email';
    return this.hosts.size > 0 && this.hasHost(destinationHostOf(url)) ? 'host' : undefined;
  }

  kindOfTag(keys: SigningKeys, { keyId, tag }: CarriedTag): OrganizationBlock | undefined {
    let tags = this.tags.get(keyId);
    if (tags === undefined) this.tags.set(keyId, (tags = this.tagsOf(keys, keyId)));
    return tags.get(tag);
  }

  kindOfOrganization(organizationId: string): OrganizationBlock | undefined {
    return this.organizations.get(organizationId);
  }

  /** A host is blocked with its subdomains: an abuser makes new ones at will. */
  private hasHost(host: string | undefined): boolean {
    for (let rest = host; rest !== undefined && rest !== ''; rest = afterFirstDot(rest)) {
      if (this.hosts.has(rest)) return true;
    }
    return false;
  }

  private tagsOf(keys: SigningKeys, keyId: number): ReadonlyMap<number, OrganizationBlock> {
    const key = keys.find(keyId)!;
    const dead = this.deadTags.map((text) => text.split(':').map(Number));
    return new Map([
      ...[...this.organizations].map(([id, kind]) => [organizationTagOf(key, id), kind] as const),
      ...dead.filter(([id]) => id === keyId).map(([, tag]) => [tag!, 'deleted'] as const),
    ]);
  }
}

function afterFirstDot(host: string): string | undefined {
  const dot = host.indexOf('.');
  return dot === -1 ? undefined : host.slice(dot + 1);
}
