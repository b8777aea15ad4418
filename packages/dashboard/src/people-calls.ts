import type { CallOptions, Pages } from '../../client/src/index';
import { listOf } from '../../client/src/list-of';
import { path } from '../../client/src/path';
import { transport } from './api';
import type { Role } from './session-calls';

/** A person of the organization. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** False until an invited person has signed in or set a password. */
  readonly isActive: boolean;
  readonly secondFactor: boolean;
  readonly createdAt: string;
  readonly lastSeenAt: string | null;
}

interface InvitedPerson extends Person {
  /** True if an email was sent. */
  readonly mailed: boolean;
}

const PATH = '/api/users';

/** The people of the organization. Only owners change them. */
export const people = {
  list: (query: { readonly limit?: number; readonly cursor?: string }, options: CallOptions): Pages<Person> =>
    listOf(transport, { path: PATH, query, options }, (body: { users: Person[] }) => body.users),
  invite: (body: { readonly email: string; readonly role: Role }): Promise<InvitedPerson> =>
    transport.json({ method: 'POST', path: PATH, body }),
  changeRole: (id: string, role: Role): Promise<Person> =>
    transport.json({ method: 'PATCH', path: path`/api/users/${id}`, body: { role } }),
  remove: (id: string): Promise<void> => transport.json({ method: 'DELETE', path: path`/api/users/${id}` }),
};
