/** Meaning of a status for its reader. A colour repeats the meaning. */
export type Tone = 'good' | 'waiting' | 'bad' | 'neutral';
