import { describeRoute } from '../../platform/openapi/describe-route.js';

const tag = 'Session';
const errors = {
  404: 'The installation has no OpenID provider',
  429: 'Too many sign-ins from this network. A browser is sent back to the sign-in page instead',
  503: 'The provider does not respond as it should. A browser is sent back to the sign-in page instead',
};

/** One decorator per route of the controller. */
export const oidcDocs = {
  begin: describeRoute({
    operationId: 'beginOidc',
    summary: 'Sign in at the OpenID provider',
    description: 'An address to open, not to fetch. Only known users with a verified email address can sign in.',
    tag,
    withoutKey: true,
    responses: { 302: { description: 'Redirect to the provider' } },
    errors,
  }),
  finish: describeRoute({
    operationId: 'finishOidc',
    summary: 'Return from the OpenID provider',
    description:
      'The sign-in page gets a token in the fragment of its address, which it posts to /api/session. It works only ' +
      'together with the cookie that this response sets.',
    tag,
    withoutKey: true,
    responses: { 302: { description: 'Redirect to the sign-in page' } },
    errors,
  }),
};
