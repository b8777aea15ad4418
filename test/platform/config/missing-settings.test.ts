import { InvalidSettingsError, readSettings } from '../../../src/platform/config/settings.js';

/** The variables with problems, in the order in which they are reported. */
function problemsWith(environment: Record<string, string>): string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    return (error as InvalidSettingsError).problems.map((problem) => problem.split(' ')[0]!);
  }
}

const sendgrid = { DELIVERY_PROVIDER: 'sendgrid' };

it('settings that are missing are reported beside those that are wrong', () => {
  const environment = { ...sendgrid, PORT: 'x', OIDC_CLIENT_ID: 'mailbeacon' };
  expect(problemsWith(environment)).toEqual(['PORT', 'SENDGRID_API_KEY', 'OIDC_ISSUER']);
});

it('none is reported twice, nor for what depends on a wrong one', () => {
  expect(problemsWith({ ROLES: 'worker', BASE_URL: 'x' })).toEqual(['BASE_URL']);
  expect(problemsWith({ OIDC_ISSUER: 'x', OIDC_CLIENT_ID: 'mailbeacon' })).toEqual(['OIDC_ISSUER']);
  expect(problemsWith({ ...sendgrid, PROVIDERS: '[]' })).toEqual(['PROVIDERS']);
  expect(problemsWith({ ...sendgrid, ROLES: 'tracker' })).toEqual(['ROLES']);
});
