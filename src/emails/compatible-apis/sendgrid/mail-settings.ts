import { InvalidFieldError } from '../../../platform/errors/domain-error.js';
import { readObject } from '../read-object.js';

/** What each setting must have; a setting that is absent is as it must be. */
interface Requirement {
  readonly enable: boolean;
  /** Completes the sentence of an error. */
  readonly problem: string;
}

const OFF: Requirement = { enable: false, problem: 'is not supported' };

const MAIL_SETTINGS: Readonly<Record<string, Requirement>> = {
  bcc: OFF,
  bypass_list_management: OFF,
  bypass_spam_management: OFF,
  bypass_bounce_management: OFF,
  bypass_unsubscribe_management: OFF,
  footer: OFF,
  sandbox_mode: OFF,
  spam_check: OFF,
};

const TRACKING_SETTINGS: Readonly<Record<string, Requirement>> = {
  click_tracking: {
    enable: true,
    problem: 'cannot be false: exempt single links with the attribute clicktracking=off',
  },
  open_tracking: { enable: true, problem: 'cannot be false: every email with HTML has a pixel' },
  subscription_tracking: OFF,
  ganalytics: OFF,
};

/** @throws InvalidFieldError for a setting that asks for what we do not do */
export function requireSupportedSettings(mailSettings: unknown, trackingSettings: unknown): void {
  requireSettings(mailSettings, 'mail_settings', MAIL_SETTINGS);
  requireSettings(trackingSettings, 'tracking_settings', TRACKING_SETTINGS);
}

function requireSettings(value: unknown, path: string, known: Readonly<Record<string, Requirement>>): void {
  if (value === undefined) return;
  for (const [name, setting] of Object.entries(readObject(value, path, Object.keys(known)))) {
    const at = `${path}.${name}`;
    const { enable, problem } = known[name]!;
    // Further fields of a setting that is off have no effect.
    const fields = readObject(
      setting,
      at,
      isOff(setting) && !enable ? Object.keys(setting) : ['enable', 'enable_text'],
    );
    if ((fields.enable ?? enable) !== enable) throw new InvalidFieldError(`${at}.enable`, problem);
    if (fields.enable_text === true) throw new InvalidFieldError(`${at}.enable_text`, 'is not supported');
  }
}

function isOff(setting: unknown): setting is object {
  return typeof setting === 'object' && setting !== null && (setting as { enable?: unknown }).enable === false;
}
