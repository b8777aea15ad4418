import type { Key } from '../../client/src/index';
import { Transport } from '../../client/src/transport';
import { OPTIONS } from './api';

export type Scope = Key['scopes'][number];

export interface OrganizationRole {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'member' | 'viewer';
}

/** Who is signed in, for which organization, and what they may do. */
export interface Session {
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly hasPassword: boolean;
    readonly secondFactor: boolean;
  };
  readonly organization: OrganizationRole;
  readonly scopes: readonly Scope[];
  readonly organizations: readonly OrganizationRole[];
}

export interface Credentials {
  readonly email?: string | undefined;
  readonly password?: string | undefined;
  /** Of a sign-in link. */
  readonly token?: string | undefined;
  /** Of the second factor. */
  readonly code?: string | undefined;
}

const transport = new Transport(OPTIONS);
const PATH = '/api/session';

/** The routes for people, which are no part of the client library because keys cannot use them. */
export const sessions = {
  get: (signal: AbortSignal): Promise<Session> => transport.json({ method: 'GET', path: PATH, options: { signal } }),
  signIn: (credentials: Credentials): Promise<Session> =>
    transport.json({ method: 'POST', path: PATH, body: credentials }),
  signOut: (): Promise<void> => transport.json({ method: 'DELETE', path: PATH }),
  signOutEverywhere: (): Promise<void> => transport.json({ method: 'DELETE', path: '/api/sessions' }),
  chooseOrganization: (organizationId: string): Promise<Session> =>
    transport.json({ method: 'PATCH', path: PATH, body: { organizationId } }),
  setPassword: (body: { readonly token: string; readonly password: string }): Promise<void> =>
    transport.json({ method: 'POST', path: `${PATH}/password`, body }),
  changePassword: (body: { readonly currentPassword: string; readonly newPassword: string }): Promise<Session> =>
    transport.json({ method: 'PUT', path: `${PATH}/password`, body }),
};
