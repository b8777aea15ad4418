import type { Variable } from './setting-types.js';

const TOPIC = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/;

/** ARNs of topics of Amazon SNS. */
export function topicList(about: {
  readonly description: string;
  readonly example: string;
}): Variable<readonly string[] | undefined> {
  return {
    ...about,
    expectation: 'a comma-separated list of ARNs of SNS topics',
    fallback: { value: undefined, text: '' },
    read: readTopics,
  };
}

/** @returns undefined if one of the ARNs is invalid */
export function readTopics(text: string): readonly string[] | undefined {
  const topics = text.split(',').map((one) => one.trim());
  return topics.every((one) => TOPIC.test(one)) ? topics : undefined;
}
