# SPDX-License-Identifier: Apache-2.0
"""The state of an elastic TensorFlow program: its variables, and other values. Use it in place of hvd.elastic.TensorFlowState, which
Horovod 0.28 cannot restore with TensorFlow 2: it runs a collective when it is created, and sends no variables afterwards.

    state = VariablesState([*model.variables, *optimizer.variables], step=0)
"""

import horovod.tensorflow as hvd
import tensorflow as tf
from horovod.common.elastic import ObjectState
from horovod.common.exceptions import HorovodInternalError


class VariablesState(ObjectState):
    def __init__(self, variables, **values):
        self.variables = variables
        super().__init__(bcast_object=hvd.broadcast_object, get_rank=hvd.rank, arrays=None, **values)
        self.save()

    def save(self):
        self.arrays = [variable.numpy() for variable in self.variables]
        super().save()

    def restore(self):
        super().restore()
        self._assign()

    def sync(self):
        """Sends the state of rank 0 to the other ranks."""
        self.save()
        try:
            super().sync()
        except tf.errors.UnknownError as error:  # a rank was lost; hvd.elastic.run begins again
            raise HorovodInternalError(error) from error
        self._assign()

    def _assign(self):
        for variable, array in zip(self.variables, self.arrays):
            variable.assign(array)
