// A module of its own, or the whole of Mantine would be loaded with it.
export { Modal } from '@mantine/core';
