import { describedApi } from './openapi/described-api.js';
import { RecordedResponses } from './openapi/recorded-responses.js';

/** A test fails if a response that it provokes differs from the OpenAPI document. */
const responses = new RecordedResponses(describedApi);

afterEach(() => responses.expectDocumented());
afterAll(async () => {
  responses.stop();
  await responses.expectDocumented();
});
