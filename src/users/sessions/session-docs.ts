import { KEY_SCOPES } from '../../organizations/key-scopes.js';
import { describeRoute } from '../../platform/openapi/describe-route.js';
import { header, type Parameter } from '../../platform/openapi/parameters.js';
import { boolean, dateTime, enumOf, list, nullable, object, optional, string } from '../../platform/openapi/schemas.js';
import type { SignInOptions } from '../sign-in/sign-in-options.js';
import type { SessionView } from './session-view.js';
import type { OrganizationRole } from '../user-accounts.js';
import type {
  ChangePasswordRequest,
  ChooseOrganizationRequest,
  ForgottenPasswordRequest,
  SetPasswordRequest,
  SignInRequest,
} from './session-requests.js';
import { USER_ROLES } from '../user-roles.js';

const tag = 'Session';
export const PASSWORD = 'correct horse battery staple';
const TOKEN = 'w8Vv1y2bqP4mZ0oZQ3xkJ5nYH7cT9sRrLdKfAeXuG6E';

const email = string('Email address of the user', 'jane@example.com');
export const code = string(
  'Code of the authenticator app, or a recovery code, if the user has a second factor',
  '492039',
);
const organizationId = string('ID of an organization', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');

export const role = enumOf(USER_ROLES, 'Role of the user: an owner may do everything, a viewer may only read', 'owner');

/** Every changing request of a signed-in user needs it. */
export const requestedWith: Parameter = header(
  'X-Requested-With',
  string('Any value: proves that no form of another website sent the request', 'mailbeacon'),
);

const organization = object<OrganizationRole>('OrganizationRole', 'An organization of the user', {
  id: organizationId,
  name: string('Its name', 'Acme'),
  role,
});

const session = object<SessionView>('Session', 'The signed-in user', {
  user: object<SessionView['user']>('SessionUser', 'The user', {
    id: string('ID of the user', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77'),
    email,
    hasPassword: boolean('False until the user sets a password', true),
    secondFactor: boolean('Whether signing in needs a code', false),
  }),
  organization: {
    ...organization,
    description: 'The organization that requests are about: the one that X-Organization names, or the chosen one',
  },
  scopes: list(enumOf(KEY_SCOPES, 'A scope', 'read'), 'Permissions of the user in it, as scopes of API keys'),
  suspended: nullable(
    string('Why an operator suspended the organization: until the suspension ends, all else is 403', 'It sends spam'),
  ),
  organizations: list(organization, 'All organizations of the user'),
  createdAt: dateTime('Time of the sign-in'),
  expiresAt: dateTime('Time from which the user must sign in again'),
});

const signedIn = { description: 'The user is signed in, and the session cookie is set', schema: session };
const refused = 'The email address, password, code or link is wrong, or the code is missing: then `details` names it';
const foreign = 'The request has no X-Requested-With, or another website made it';

/** One decorator per route of the controller. */
export const sessionDocs = {
  options: describeRoute({
    operationId: 'getSignInOptions',
    summary: 'Ways to sign in',
    description: 'What the installation offers besides email and password.',
    tag,
    withoutKey: true,
    responses: {
      200: {
        description: 'The ways to sign in',
        schema: object<SignInOptions>('SignInOptions', 'Ways to sign in', {
          oidc: boolean('Whether users can sign in with OpenID: open /api/session/oidc', true),
          passwordReset: boolean('Whether /api/session/reset sends links by email', true),
        }),
      },
    },
  }),
  signIn: describeRoute({
    operationId: 'signIn',
    summary: 'Sign in',
    description:
      'By email and password, or by the token of a sign-in link. Sets an HttpOnly cookie, which then replaces a key. ' +
      'Failures are limited per account and network; browsers in which the user has signed in before are counted separately.',
    tag,
    withoutKey: true,
    parameters: [requestedWith],
    body: object<SignInRequest>('SignIn', 'Who signs in', {
      email: optional(email),
      password: optional(string('Password of the user', PASSWORD)),
      token: optional(string('Token of a sign-in link, instead of email and password', TOKEN)),
      code: optional(code),
    }),
    responses: { 201: signedIn },
    errors: { 401: refused, 403: foreign },
  }),
  setPassword: describeRoute({
    operationId: 'setPassword',
    summary: 'Set a password with a link',
    description: 'Ends all sessions and links of the user. The link works once.',
    tag,
    withoutKey: true,
    parameters: [requestedWith],
    body: object<SetPasswordRequest>('SetPassword', 'A new password', {
      token: string('Token of the link', TOKEN),
      password: string('The new password, 12 to 256 characters', PASSWORD),
    }),
    responses: { 204: { description: 'The password is set' } },
    errors: { 401: 'The link is unknown, used or expired', 403: foreign },
  }),
  forgot: describeRoute({
    operationId: 'requestPassword',
    summary: 'Request a link to set a password',
    description:
      'The response is the same whether or not there is such a user. The link is sent by email if the installation ' +
      'sends such mail; otherwise ask an operator.',
    tag,
    withoutKey: true,
    parameters: [requestedWith],
    body: object<ForgottenPasswordRequest>('ForgottenPassword', 'Who asks', { email }),
    responses: { 202: { description: 'If there is such a user, a link is being sent' } },
    errors: { 403: foreign },
  }),
  read: describeRoute({
    operationId: 'getSession',
    summary: 'The signed-in user',
    tag,
    needsSession: true,
    responses: { 200: { description: 'The session of the cookie', schema: session } },
  }),
  choose: describeRoute({
    operationId: 'chooseOrganization',
    summary: 'Choose an organization',
    description: 'From now on, requests of this session apply to it, unless their header X-Organization names another.',
    tag,
    needsSession: true,
    body: object<ChooseOrganizationRequest>('ChooseOrganization', 'An organization of the user', { organizationId }),
    responses: { 200: { description: 'The session', schema: session } },
  }),
  signOut: describeRoute({
    operationId: 'signOut',
    summary: 'Sign out',
    tag,
    needsSession: true,
    responses: { 204: { description: 'The session has ended, everywhere within 5 seconds' } },
  }),
  signOutEverywhere: describeRoute({
    operationId: 'signOutEverywhere',
    summary: 'Sign out everywhere',
    description: 'Ends all sessions of the user in all browsers.',
    tag,
    needsSession: true,
    responses: { 204: { description: 'All sessions have ended, everywhere within 5 seconds' } },
  }),
  changePassword: describeRoute({
    operationId: 'changePassword',
    summary: 'Change the password',
    description: 'Ends all sessions of the user, everywhere within 5 seconds, and opens a new one for this browser.',
    tag,
    needsSession: true,
    body: object<ChangePasswordRequest>('ChangePassword', 'The old and the new password', {
      currentPassword: string('The current password', PASSWORD),
      newPassword: string('The new password, 12 to 256 characters', 'a quite different long sentence'),
    }),
    responses: { 200: signedIn },
    errors: { 403: `The current password is wrong. ${foreign}` },
  }),
};
