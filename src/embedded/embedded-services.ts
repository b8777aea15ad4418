import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../platform/logging/logger.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { lockInstance, type InstanceLock } from './instance-lock.js';
import type { UnpackOptions } from './redis-package.js';
import { isRunning } from './server-process.js';
import { inboxIn, postgresIn, redisIn } from './service-starts.js';
import { prepareStateDirectory } from './service-directory.js';
import { readStateFile, replaceStateFile } from './state-file.js';
import {
  SupervisedService,
  type EmbeddedAddresses,
  type RunningService,
  type ServiceStart,
} from './supervised-service.js';

/** Services that no setting configures, and that must therefore be started. */
export interface EmbeddedNeeds {
  readonly postgres: boolean;
  readonly redis: boolean;
  readonly inbox: boolean;
}

export interface EmbeddedServices extends EmbeddedAddresses {
  /** Stores the address, so that a second start in the same folder can report it. */
  recordAddress(address: string): Promise<void>;
  /** Makes the inbox, if it was started, return bounces of its mail to this port. */
  returnBouncesTo(port: number): Promise<void>;
  /**
   * Until the signal of the start aborts, starts each service again that ends, at its address and with its data.
   * @param onFailure called once a service has failed to start several times in a row
   */
  keepRunning(logger: Logger, onFailure: (error: EmbeddedServiceError) => void): void;
  /** Stops all started and adopted services. Their data is kept. */
  stop(): Promise<void>;
}

type RecordedService = Pick<RunningService, 'pid' | 'addresses'>;

/**
 * Starts the needed services of the project in `directory`, with their data in its folder .mailbeacon. Adopts services
 * that a killed process left running. Leaves no service running if it throws.
 * @throws the signal's reason if the signal aborts the start
 * @throws AlreadyRunningError if the services of this folder belong to another running process
 * @throws Error with a one-line message if a service cannot be started
 */
export async function startEmbeddedServices(
  needs: EmbeddedNeeds,
  directory: string,
  options: UnpackOptions = {},
): Promise<EmbeddedServices> {
  const stateDirectory = join(directory, '.mailbeacon');
  return startIn(stateDirectory, needs, options).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
    throw new EmbeddedServiceError(`The disk of ${stateDirectory} is full: free some space`);
  });
}

async function startIn(
  stateDirectory: string,
  needs: EmbeddedNeeds,
  options: UnpackOptions,
): Promise<EmbeddedServices> {
  await prepareStateDirectory(stateDirectory);
  const lock = await lockInstance(stateDirectory);
  const starts = [
    ...(needs.postgres ? [postgresIn(stateDirectory)] : []),
    ...(needs.redis ? [redisIn(stateDirectory, options.report)] : []),
    ...(needs.inbox ? [inboxIn(stateDirectory)] : []),
  ].map((start) => whileHeld(lock, start));
  const outcomes = await Promise.allSettled(starts.map((start) => SupervisedService.start(start, options.signal)));
  const services = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  const stop = (): Promise<void> => stopAll(services, stateDirectory, lock);
  try {
    options.signal?.throwIfAborted(); // Ctrl-C reaches the child processes too, so their errors are irrelevant
    if (failure) throw failure.reason;
    await record(services, stateDirectory);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...Object.assign({}, ...services.map(({ addresses }) => addresses)),
    recordAddress: (address) => lock.recordAddress(address),
    returnBouncesTo: async (port) => {
      for (const service of services) await service.returnBouncesTo(port);
    },
    keepRunning: (logger, onFailure) => {
      const onRestart = (): Promise<void> => record(services, stateDirectory);
      for (const service of services) service.keepRunning({ logger, onRestart, onFailure });
    },
    stop,
  };
}

/** A restart must neither adopt nor stop the services of another start that has created a removed folder again. */
function whileHeld(lock: InstanceLock, service: ServiceStart): ServiceStart {
  const start: ServiceStart['start'] = async (signal, isRestart) => {
    if (isRestart && !(await lock.isHeld())) throw new EmbeddedServiceError('its folder was removed or replaced');
    return service.start(signal, isRestart);
  };
  return { ...service, start };
}

/** Returns the addresses of the embedded services that any process runs in `directory`, or undefined if none runs. */
export async function findEmbeddedServices(directory: string): Promise<EmbeddedAddresses | undefined> {
  const recorded = await readStateFile<RecordedService[]>(servicesFile(join(directory, '.mailbeacon')));
  const running = (recorded ?? []).filter(({ pid }) => isRunning(pid));
  if (running.length === 0) return undefined;
  return Object.assign({}, ...running.map(({ addresses }) => addresses)) as EmbeddedAddresses;
}

const servicesFile = (stateDirectory: string): string => join(stateDirectory, 'services.json');

async function record(services: readonly SupervisedService[], stateDirectory: string): Promise<void> {
  const recorded: RecordedService[] = services.map(({ pid, addresses }) => ({ pid, addresses }));
  const file = servicesFile(stateDirectory);
  await replaceStateFile(file, JSON.stringify(recorded, undefined, 2)).catch((error: NodeJS.ErrnoException) => {
    throw new EmbeddedServiceError(`${file} cannot be written (${error.code})`);
  });
}

async function stopAll(
  services: readonly SupervisedService[],
  stateDirectory: string,
  lock: InstanceLock,
): Promise<void> {
  const outcomes = await Promise.allSettled(services.map((service) => service.stop()));
  if (await lock.isHeld()) {
    // Without running services, its content has no effect.
    await rm(servicesFile(stateDirectory), { force: true }).catch(() => undefined);
    await lock.release();
  }
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}
