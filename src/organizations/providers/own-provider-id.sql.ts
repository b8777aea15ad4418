/** SQL: true for the ID of an organization's own provider, which is a UUID; those of the service have names. */
export const isOwnProvider = (id: string): string => `(${id} ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}')`;
