// Order of test files for mutation.mjs: the quickest first, since most changes fail there.
import Sequencer from '@jest/test-sequencer';

export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => (a.duration ?? 0) - (b.duration ?? 0));
  }
}
