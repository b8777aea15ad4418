import { describeRoute } from '../../platform/openapi/describe-route.js';
import { list, object, optional, string } from '../../platform/openapi/schemas.js';
import { code, PASSWORD, requestedWith } from '../sessions/session-docs.js';
import type { SecondFactorSecret } from './second-factors.js';
import type { AddFactorRequest, ConfirmFactorRequest, RemoveFactorRequest } from '../sessions/session-requests.js';

const tag = 'Session';
const password = optional(string('The current password, if the user has one', PASSWORD));
const wrong = 'The password or code is wrong, or another website made the request';
const unproven = `${wrong}. A user without a password must have signed in within the last 10 minutes`;

/** One decorator per route of the controller. */
export const secondFactorDocs = {
  begin: describeRoute({
    operationId: 'addSecondFactor',
    summary: 'Add a second factor',
    description: 'Creates a secret for an authenticator app (RFC 6238). It takes effect once a code confirms it.',
    tag,
    needsSession: true,
    parameters: [requestedWith],
    body: object<AddFactorRequest>('AddSecondFactor', 'The password', { password }),
    responses: {
      201: {
        description: 'The secret. It is not shown again',
        schema: object<SecondFactorSecret>('SecondFactorSecret', 'What an authenticator app needs', {
          secret: string('The secret in base32', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
          uri: string(
            'The secret as an `otpauth` URL for a QR code',
            'otpauth://totp/Mailbeacon:jane%40example.com?secret=JBSWY3DPEHPK3PXP',
          ),
        }),
      },
    },
    errors: { 403: unproven, 409: 'There is a second factor already' },
  }),
  confirm: describeRoute({
    operationId: 'confirmSecondFactor',
    summary: 'Turn the second factor on',
    description:
      'Needs a code from the app. Ends all other sessions of the user. From then on, signing in needs a code.',
    tag,
    needsSession: true,
    parameters: [requestedWith],
    body: object<ConfirmFactorRequest>('ConfirmSecondFactor', 'A code', { code }),
    responses: {
      200: {
        description: 'Recovery codes. They are not shown again',
        schema: object<{ recoveryCodes: readonly string[] }>('RecoveryCodes', 'Codes for a lost authenticator app', {
          recoveryCodes: list(string('Works once instead of a code', '3f9a1-c07be-5512d-9e0a4'), 'Ten codes'),
        }),
      },
    },
    errors: { 403: wrong, 409: 'There is no second factor to confirm' },
  }),
  remove: describeRoute({
    operationId: 'removeSecondFactor',
    summary: 'Remove the second factor',
    tag,
    needsSession: true,
    parameters: [requestedWith],
    body: object<RemoveFactorRequest>('RemoveSecondFactor', 'The password and a code', { password, code }),
    responses: { 204: { description: 'Signing in no longer needs a code' } },
    errors: { 403: unproven, 409: 'There is no second factor' },
  }),
};
