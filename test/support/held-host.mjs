/**
 * Loaded before a program: lookups of the host `held.test` last until after SIGTERM, so that the signal finds a start
 * that is about to listen.
 */
import dns from 'node:dns';
import process from 'node:process';
import { setTimeout } from 'node:timers';

const AFTER_SIGNAL_MS = 200;
const lookup = dns.lookup;
dns.lookup = (host, ...rest) => {
  if (host !== 'held.test') return lookup(host, ...rest);
  process.once('SIGTERM', () => setTimeout(() => lookup('127.0.0.1', ...rest), AFTER_SIGNAL_MS));
};
