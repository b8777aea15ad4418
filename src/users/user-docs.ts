import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { boolean, dateTime, list, nullable, object, string } from '../platform/openapi/schemas.js';
import type { InvitedUser, UserView } from './user-view.js';
import { requestedWith, role } from './sessions/session-docs.js';
import type { ChangeRoleRequest, InviteUserRequest } from './user-requests.js';

const tag = 'Users';
const id = string('ID of the user', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');
const email = string('Email address', 'jane@example.com');

const fields = {
  id,
  email,
  role,
  isActive: boolean(
    'False until an invited user has signed in or set a password, and opened this organization if there are others',
    true,
  ),
  secondFactor: boolean('Whether signing in needs a code', false),
  createdAt: dateTime('Time when the user joined the organization'),
  lastSeenAt: nullable(dateTime('Time of the last request, to within a few minutes; null before the first')),
};

const user = object<UserView>('User', 'A person of the organization', fields);

/** One decorator per route of the controller. */
export const userDocs = {
  list: describeRoute({
    operationId: 'listUsers',
    summary: 'List users',
    description: 'People of the organization, newest first.',
    tag,
    needsSession: true,
    paged: true,
    responses: {
      200: {
        description: 'The users',
        schema: object<{ users: readonly UserView[] }>('UserList', 'A page of users', {
          users: list(user, 'Users, newest first'),
        }),
      },
    },
  }),
  invite: describeRoute({
    operationId: 'inviteUser',
    summary: 'Invite a user',
    description:
      'For owners. The user gets a link by email, if the installation sends such mail; otherwise an operator prints it. ' +
      'No response ever contains the link: it signs in as that user.',
    tag,
    needsSession: true,
    parameters: [requestedWith],
    body: object<InviteUserRequest>('InviteUser', 'A person and a role', { email, role }),
    responses: {
      201: {
        description: 'The user',
        schema: object<InvitedUser>('InvitedUser', 'The new user', {
          ...fields,
          mailed: boolean('True if an email was sent to the user', true),
        }),
      },
    },
    errors: { 404: 'The organization was deleted', 409: 'The user is already in the organization' },
  }),
  changeRole: describeRoute({
    operationId: 'changeRole',
    summary: 'Change the role of a user',
    description: 'For owners. Takes effect everywhere within 5 seconds.',
    tag,
    needsSession: true,
    parameters: [path('id', id), requestedWith],
    body: object<ChangeRoleRequest>('ChangeRole', 'A role', { role }),
    responses: { 200: { description: 'The user', schema: user } },
    errors: { 404: 'User not found', 409: 'The organization would have no owner who has opened it' },
  }),
  remove: describeRoute({
    operationId: 'removeUser',
    summary: 'Remove a user',
    description:
      'For owners. The user loses access within 5 seconds. A user who is in no other organization is deleted.',
    tag,
    needsSession: true,
    parameters: [path('id', id), requestedWith],
    responses: { 204: { description: 'The user is removed' } },
    errors: { 404: 'User not found', 409: 'The organization would have no owner who has opened it' },
  }),
};
