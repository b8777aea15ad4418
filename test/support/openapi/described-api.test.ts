import { Logger, type LoggerService } from '@nestjs/common';
import { describedApi } from './described-api.js';

const nest = Logger as unknown as { staticInstanceRef?: LoggerService };
const before = nest.staticInstanceRef;
afterAll(() => Logger.overrideLogger(before ?? false));

it('the description of the API leaves a running service its log', async () => {
  const messages: unknown[] = [];
  const log = (message: unknown): void => void messages.push(message);
  Logger.overrideLogger({ log, warn: log, error: log });
  await describedApi();
  new Logger('a service').warn('It is still logged');
  expect(messages).toContain('It is still logged');
});
