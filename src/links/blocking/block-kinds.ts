/** Kinds of entries that an operator can create. */
export const OPERATOR_BLOCKS = ['host', 'email', 'organization'] as const;

/** Why a link does not redirect. `deleted` names an organization that is being deleted. */
export const BLOCK_KINDS = [...OPERATOR_BLOCKS, 'deleted'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

/** Entries of an organization, by its ID. */
export const ORGANIZATION_BLOCKS = ['organization', 'deleted'] as const satisfies readonly BlockKind[];

/** Kinds of entries of the deny list. A `tag` replaces the ID of a deleted organization. */
export const STORED_BLOCKS = [...BLOCK_KINDS, 'tag'] as const;
export type StoredBlockKind = (typeof STORED_BLOCKS)[number];
